export class NoAnswer extends Error {
  name = 'NoAnswer';

  constructor(message, mayHaveRun) {
    super(message);
    this.mayHaveRun = mayHaveRun;
  }
}

export class Unreachable extends Error {
  name = 'Unreachable';

  constructor(message, mayHaveRun = false) {
    super(message);
    this.mayHaveRun = mayHaveRun;
  }
}

export class Refused extends Error {
  name = 'Refused';
}

/** A broker that has just started may say so of a topic that is there. */
export class MissingTopic extends Refused {}

const NOT_ALLOWED = /^(TOPIC|CLUSTER|GROUP)_AUTHORIZATION_FAILED$|^SASL_AUTHENTICATION_FAILED$|^UNSUPPORTED_SASL_MECHANISM$/;
const TOO_LARGE = /^(MESSAGE_TOO_LARGE|RECORD_LIST_TOO_LARGE)$/;

/** What an error of the Kafka library and of those it was made from are: library errors nest by `errors` and by `cause`. */
export function* chain(error) {
  const open = [error];
  for (let seen = 0; open.length > 0 && seen < 100; seen++) {
    const each = open.shift();
    if (!each) continue;
    yield each;
    open.push(...(each.errors ?? []), each.cause);
  }
}

/** The same error in this package's words. The original is left out: it holds what was sent, and how to log in. */
export function explained(error) {
  if (error instanceof Refused || error instanceof Unreachable) return error;
  const all = [...chain(error)];
  const refusal = all.find((each) => NOT_ALLOWED.test(each.apiId ?? '') || each.code === 'PLT_KFK_AUTHENTICATION');
  if (refusal) return new Refused(`Kafka does not let us: ${refusal.message} Check the credentials and their rights.`);
  if (all.some((each) => TOO_LARGE.test(each.apiId ?? ''))) return new Refused('The record is larger than the topic takes, which is 17 MiB.');
  const root = all.at(-1);
  return new Unreachable(`No Kafka broker answers: ${root?.message ?? error}`);
}
