// The one connection to the gateway: hears what changes and keeps what a page needs, bounded.

const LIMITS = { logs: 500, calls: 100, statuses: 100, lifecycle: 100 };
const KINDS = Object.keys(LIMITS);
const RETRY_MS = 3000;

/** Numbers lines, so that a view can append those that it has not shown. */
let lineNumber = 0;

const emptyDetail = (id) => ({
  id,
  loaded: false, // whether anything of it came, be it that there is nothing
  ...Object.fromEntries(KINDS.map((kind) => [kind, { entries: [], dropped: 0 }])),
});

export class Stream {
  #source = null;
  #cursor = null;
  #listeners;
  #retry = null;

  instances = new Map();
  fleet = null;
  detail = null;

  /** Listeners: changed({reset, list, fleet, detail}), state(name, text), refused(status, reason). */
  constructor(listeners) {
    this.#listeners = listeners;
  }

  /** Hears of the fleet and the list, and of the history of an instance, or of none. */
  open(instanceId = null) {
    this.close();
    if (this.detail?.id !== instanceId) this.detail = instanceId === null ? null : emptyDetail(instanceId);
    else if (this.detail) this.detail = emptyDetail(instanceId);
    const query = new URLSearchParams();
    if (this.#cursor) query.set('since', this.#cursor);
    if (instanceId !== null) query.set('instance', instanceId);
    const source = new EventSource(`api/stream?${query}`);
    this.#source = source;
    source.onopen = () => this.#listeners.state('live', 'Live');
    source.onmessage = (event) => this.#apply(JSON.parse(event.data));
    source.onerror = () => this.#failed(source, instanceId);
  }

  /** Whether everything was read that was there: only then something that is not here is not there. */
  get read() {
    return Boolean(this.fleet?.reading.caught_up);
  }

  close() {
    clearTimeout(this.#retry);
    this.#source?.close();
    this.#source = null;
  }

  async #failed(source, instanceId) {
    if (source !== this.#source) return;
    this.#listeners.state('lost', 'Reconnecting…');
    if (source.readyState !== EventSource.CLOSED) return; // the browser tries again by itself
    const [status, reason] = await ask();
    if (source !== this.#source) return;
    if (status === 401 || status === 403) {
      this.close();
      this.#listeners.refused(status, reason);
      return;
    }
    if (status === 200) this.#listeners.state('lost', 'Too many viewers, waiting…');
    this.#retry = setTimeout(() => this.open(instanceId), RETRY_MS);
  }

  #apply(update) {
    this.#cursor = update.cursor;
    if (update.reset) {
      this.instances.clear();
      this.fleet = null;
      if (this.detail) this.detail = emptyDetail(this.detail.id);
    }
    update.removed.forEach((id) => this.instances.delete(id));
    update.instances.forEach((instance) => this.instances.set(instance.process_id, instance));
    if (update.fleet) this.fleet = update.fleet;
    const detail = update.detail && update.detail.process_id === this.detail?.id ? update.detail : null;
    if (detail) {
      this.detail.loaded = true;
      KINDS.forEach((kind) => this.#add(kind, detail[kind]));
    }
    this.#listeners.changed({
      reset: update.reset,
      list: update.reset || update.instances.length > 0 || update.removed.length > 0,
      fleet: Boolean(update.fleet),
      detail: update.reset || Boolean(detail),
    });
  }

  #add(kind, slice) {
    const kept = this.detail[kind];
    if (slice.gap) kept.entries.push({ n: ++lineNumber, gap: true });
    for (const entry of slice.entries) kept.entries.push({ n: ++lineNumber, ...entry });
    const tooMany = Math.max(0, kept.entries.length - LIMITS[kind]);
    kept.entries.splice(0, tooMany);
    kept.dropped = Math.max(slice.dropped, kept.dropped + tooMany);
  }
}

/** Asks whether this browser is let in: the HTTP status, and why not or who answers. */
export async function ask() {
  try {
    const response = await fetch('api/session', { cache: 'no-store' });
    const body = await response.json();
    return [response.status, response.ok ? body : body.error];
  } catch {
    return [0, null];
  }
}
