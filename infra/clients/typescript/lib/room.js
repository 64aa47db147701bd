import {Refused} from './errors.js';

/** Places for what is open at a time, so many of one kind. */
export class Room {
  #what;
  #most;
  #taken = 0;

  /** what: for the message of the one that finds no place */
  constructor(what, most) {
    this.#what = what;
    this.#most = most;
  }

  /** Takes a place; throws Refused where there is none. */
  enter() {
    if (this.#taken >= this.#most) throw new Refused(`${this.#most} ${this.#what} are open already`);
    this.#taken++;
  }

  leave() {
    this.#taken--;
  }
}
