// Calls the server that is there, by the TypeScript client as it was packed.
const assert = require('node:assert/strict');
const {Client, NoAnswer} = require('perigee-client');

async function main() {
  const client = await Client.connect({brokers: [process.argv[2]]});
  try {
    const answer = await client.call('t1', 'u1', 'sample:echo', {message: 'from TypeScript'});
    assert.equal(answer.outcome, 'success');
    assert.match(JSON.stringify(answer.result), /from TypeScript/);
    assert.equal((await client.call('t1', 'u1', 'sample:nothing')).error.code, 'unknown_tool');
    await assert.rejects(client.command('configure', 't1', 'u1', {}, {timeoutMs: 0}), NoAnswer);
  } finally {
    await client.close();
  }
}

main().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
