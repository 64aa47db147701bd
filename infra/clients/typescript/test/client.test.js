import assert from 'node:assert/strict';
import {createServer} from 'node:net';
import {test} from 'node:test';
import {Client, EventFeed, Refused, Unreachable} from '../index.js';
import {explained} from '../lib/errors.js';

/** The address of a port that nobody listens on. */
async function nobody() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const {port} = server.address();
  await new Promise((resolve) => server.close(resolve));
  return `127.0.0.1:${port}`;
}

test('a broker that is not there is said, and leaves nothing open', async () => {
  await assert.rejects(Client.connect({brokers: [await nobody()]}), Unreachable);
});

test('events are on six topics', async () => {
  await assert.rejects(EventFeed.open({brokers: [await nobody()]}, 'mcp.', ['commands']), TypeError);
  await assert.rejects(EventFeed.open({brokers: [await nobody()]}, 'mcp.', []), TypeError);
});

test('what is not valid is refused before anything is sent', async () => {
  const client = new Client({brokers: ['127.0.0.1:1']}, 'mcp.', undefined, false);
  for (const [team, user] of [['', 'u'], ['t/x', 'u'], ['*', 'u'], ['t', '*'], ['t', 'x'.repeat(201)], [undefined, 'u']]) {
    await assert.rejects(client.call(team, user, 's:t'), TypeError);
  }
  await assert.rejects(client.call('t', 'u', 's:t', {}, {timeoutMs: 0}), RangeError);
  await assert.rejects(client.call('t', 'u', 's:t', {}, {onProgress: () => {}}), /callEvents/);
  await assert.rejects(client.call('t', 'u', 's:t', {}, {onInput: () => undefined}), /callEvents/);
  await assert.rejects(client.respond({team_id: 't'}, {}), TypeError);
  await assert.rejects(client.call('t', 'u', 's:t', {}, {signal: AbortSignal.abort(new Error('no more'))}), /no more/);
  await client.close();
});

test('at the deadline a broker that is away is said, and that nothing was sent', async () => {
  const client = new Client({brokers: [await nobody()]}, 'mcp.', undefined, false);
  await assert.rejects(client.command('configure', 't', 'u', {}, {timeoutMs: 500}), (error) => error instanceof Unreachable && !error.mayHaveRun);
  await client.close();
  await assert.rejects(client.call('t', 'u', 's:t'), /closed/);
});

test('an error of the library is said without what it holds', () => {
  const inner = Object.assign(new Error('SASL authentication failed.'), {code: 'PLT_KFK_AUTHENTICATION', sasl: {password: 'secret'}});
  const said = explained(new Error('Connection failed.', {cause: inner}));
  assert.ok(said instanceof Refused);
  assert.equal(said.cause, undefined);
  assert.doesNotMatch(JSON.stringify(said) + said.message, /secret/);
});

test('a call whose server may ask, and a response, end by their signal', async () => {
  const client = new Client({brokers: [await nobody()]}, 'mcp.', undefined, true);
  const asking = {onInput: () => undefined};
  await assert.rejects(client.call('t', 'u', 's:t', {}, {...asking, longestInputMs: 0}), /longestInputMs/);
  const signal = AbortSignal.timeout(100);
  const question = {team_id: 't', user_id: 'u', request_id: 'r-1', input_id: 'i1'};
  const ended = await Promise.allSettled([client.call('t', 'u', 's:t', {}, {...asking, signal}), client.respond(question, {}, {signal})]);
  assert.deepEqual(ended.map(({reason}) => reason?.name), ['TimeoutError', 'TimeoutError']);
  await client.close();
});
