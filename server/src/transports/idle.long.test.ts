import { describeSilentPeers } from '../testing/silent-peers.js';

describeSilentPeers();
