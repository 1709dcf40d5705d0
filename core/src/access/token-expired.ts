/** Refusal of a token whose time is over: its holder may come with another one. [AU4] */
import { Rejection } from '../rejection.js';

export class TokenExpired extends Rejection {
  constructor() {
    super('auth', 'auth: token has expired');
  }
}
