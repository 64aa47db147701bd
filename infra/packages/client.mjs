// Calls the server that is there, by the TypeScript client as it was packed.
import assert from 'node:assert/strict';
import {Client, NoAnswer, Refused} from 'perigee-client';

const client = await Client.connect({brokers: [process.argv[2]]});
try {
  const feed = await client.follow(['status'], {from: 'beginning'});
  for await (const {event} of feed) if (event?.status === 'online') break;
  const answer = await client.call('t1', 'u1', 'sample:echo', {message: 'from TypeScript'});
  assert.equal(answer.outcome, 'success');
  assert.match(JSON.stringify(answer.result), /from TypeScript/);
  assert.equal((await client.call('t1', 'u1', 'sample:nothing')).error.code, 'unknown_tool');
  await assert.rejects(client.command('configure', 't1', 'u1', {}, {timeoutMs: 1}), NoAnswer);
} finally {
  await client.close();
}
await assert.rejects(Client.connect({brokers: [process.argv[2]], prefix: 'none.'}), Refused);
