// Installs a server and calls its tool, with kafkajs.
const {randomUUID} = require('node:crypto');
const {Kafka, Partitioners, logLevel} = require('kafkajs');

const [bootstrap = '127.0.0.1:9092', ...given] = process.argv.slice(2);
const [command, ...args] = given.length > 0 ? given : ['npx', '-y', '@modelcontextprotocol/server-everything'];
const team = 'examples';
const user = 'node';

async function main() {
  const kafka = new Kafka({brokers: bootstrap.split(','), logLevel: logLevel.ERROR});
  // The default partitioner is murmur2, which is what Perigee asks for.
  const producer = kafka.producer({createPartitioner: Partitioners.DefaultPartitioner});
  const consumer = kafka.consumer({groupId: `example-${randomUUID()}`, maxWaitTimeInMs: 100});
  const waiting = new Map();
  await Promise.all([producer.connect(), consumer.connect()]);
  try {
    await consumer.subscribe({topics: ['mcp.command-results', 'mcp.tool-results']});
    // Results of what is sent from now on are only seen by who reads by now.
    const reading = new Promise((resolve) => consumer.on(consumer.events.FETCH, resolve));
    await consumer.run({
      eachMessage: async ({message}) => {
        const result = JSON.parse(message.value.toString());
        if (result.outcome !== 'acknowledged') waiting.get(message.key.toString())?.(result);
      },
    });
    await reading;

    const ask = (topic, id, value) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error(`no result of ${id} in time`)), 60_000);
        // The first result counts; a repeat says the same.
        waiting.set(id, (result) => {
          clearTimeout(timer);
          waiting.delete(id);
          resolve(result);
        });
        producer.send({topic, messages: [{key: `${team}/${user}`, value: JSON.stringify(value)}]}).catch(reject);
      });

    const commandId = randomUUID();
    const installed = await ask('mcp.commands', commandId, {
      id: commandId,
      command_type: 'configure',
      issued_at: new Date().toISOString(),
      expires_at: new Date(Date.now() + 60_000).toISOString(),
      payload: {
        event: 'mcp_installation_created',
        config: {
          installation_id: 'example-node',
          server_slug: 'everything',
          team_id: team,
          team_slug: team,
          user_id: user,
          user_slug: user,
          transport_type: 'stdio',
          command,
          args,
        },
      },
    });
    if (installed.result?.resulting_status !== 'online') throw new Error(JSON.stringify(installed));

    const requestId = randomUUID();
    const answer = await ask('mcp.tool-requests', requestId, {
      request_id: requestId,
      team_id: team,
      user_id: user,
      method: 'tools/call',
      tool_path: 'everything:echo',
      arguments: {message: 'Hello from Node'},
      timeout_ms: 30_000,
    });
    console.log(answer.outcome, JSON.stringify(answer.result ?? answer.error));
  } finally {
    await Promise.all([producer.disconnect(), consumer.disconnect()]);
  }
}

main().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
