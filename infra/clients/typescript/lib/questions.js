import {NoAnswer} from './errors.js';

/** A fleet publishes no more of one call. */
const MOST = 100;

/** Questions of one call, repeats left out: each is handed over once, and what the handler responds is sent once. */
export class Questions {
  #handler;
  #refused;
  #respond;
  #failed;
  #room;
  #known = new Set();
  #open = new Set();
  #over = new AbortController();

  /**
   * handler, refused: as onInput and onInputRefused; respond: sends responses and resolves with their own answer; failed: is told what any of them throws
   * before the end; room: has a place for each question that is being answered
   */
  constructor({handler, refused = () => {}, respond, failed, room}) {
    this.#handler = handler;
    this.#refused = refused;
    this.#respond = respond;
    this.#failed = failed;
    this.#room = room;
  }

  /** Does not wait. Throws Refused where there is no room. */
  take(question) {
    const {input_id: id} = question;
    if (this.#over.signal.aborted || typeof id !== 'string' || this.#known.size >= MOST || this.#known.has(id)) return;
    this.#room.enter();
    this.#known.add(id);
    this.#open.add(id);
    this.#answer(question)
      .catch((error) => {
        if (!this.#over.signal.aborted) this.#failed(error);
      })
      .finally(() => this.#leave(id));
  }

  async #answer(question) {
    const {signal} = this.#over;
    const responses = await this.#handler(question, signal);
    if (responses === undefined || responses === null || signal.aborted) return;
    let answer;
    try {
      answer = await this.#respond(question, responses, signal);
    } catch (error) {
      if (error instanceof NoAnswer) return; // The question expires, and its call says so.
      throw error;
    }
    if (answer.outcome !== 'success') await this.#refused(question, answer);
  }

  /** The call has its answer, or is not waited for any more: handlers are told by their signal, and what they do from then on does not count. */
  close() {
    this.#over.abort(new Error('The call is over'));
    for (const id of this.#open) this.#leave(id);
  }

  #leave(id) {
    if (this.#open.delete(id)) this.#room.leave();
  }
}
