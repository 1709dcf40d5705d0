import { objectStoreBattery } from '../git/object-store-battery.js';
import { memoryDisk } from './memory-disk.js';

objectStoreBattery(() => memoryDisk().stores.of('repo-1'));
