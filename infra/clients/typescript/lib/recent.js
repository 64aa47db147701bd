/** The last so many ids that came, so that a repeat is known. */
export class RecentIds {
  #most;
  #ids = new Set();

  constructor(most) {
    this.#most = most;
  }

  /** True the first time. */
  add(id) {
    if (this.#ids.has(id)) return false;
    this.#ids.add(id);
    if (this.#ids.size > this.#most) this.#ids.delete(this.#ids.values().next().value);
    return true;
  }
}

/**
 * Answers to those who stopped waiting: a request with the id of one that was answered is not answered again. Bounded by count, bytes and time;
 * the oldest goes first.
 */
export class LateAnswers {
  #most;
  #mostBytes;
  #keptMs;
  #bytes = 0;
  #kept = new Map();

  constructor({most, mostBytes, keptMs}) {
    this.#most = most;
    this.#mostBytes = mostBytes;
    this.#keptMs = keptMs;
  }

  /** Keeps the answer under that key when it comes. */
  await(key) {
    this.#drop(key);
    this.#kept.set(key, {until: Date.now() + this.#keptMs, bytes: 0, answer: undefined});
    this.#trim();
  }

  awaits(key) {
    return this.#kept.has(key);
  }

  /** bytes: what the answer takes. */
  offer(key, answer, bytes) {
    const kept = this.#kept.get(key);
    if (!kept || kept.answer) return;
    Object.assign(kept, {answer, bytes});
    this.#bytes += bytes;
    this.#trim();
  }

  /** The answer, which is forgotten; undefined when there is none. */
  take(key) {
    this.#trim();
    const answer = this.#kept.get(key)?.answer;
    this.#drop(key);
    return answer;
  }

  #drop(key) {
    this.#bytes -= this.#kept.get(key)?.bytes ?? 0;
    this.#kept.delete(key);
  }

  #trim() {
    for (const [key, {until}] of this.#kept) {
      if (this.#kept.size <= this.#most && this.#bytes <= this.#mostBytes && until > Date.now()) return;
      this.#drop(key);
    }
  }
}
