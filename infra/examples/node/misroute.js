// Sends a command to a partition that is not its key's, as a client does that has another partitioner, and waits for the dead letter.
const {randomUUID} = require('node:crypto');
const {Kafka, logLevel} = require('kafkajs');

const [bootstrap = '127.0.0.1:9092'] = process.argv.slice(2);
const team = 'examples';
const user = 'misrouted';

async function main() {
  const kafka = new Kafka({brokers: bootstrap.split(','), logLevel: logLevel.ERROR});
  const producer = kafka.producer({createPartitioner: () => () => 0});
  const consumer = kafka.consumer({groupId: `example-${randomUUID()}`, maxWaitTimeInMs: 100});
  await Promise.all([producer.connect(), consumer.connect()]);
  try {
    const command = {
      id: randomUUID(),
      command_type: 'configure',
      payload: {
        event: 'mcp_installation_created',
        config: {
          installation_id: 'example-misrouted',
          server_slug: 'everything',
          team_id: team,
          team_slug: team,
          user_id: user,
          user_slug: user,
          transport_type: 'stdio',
          command: 'npx',
          args: ['-y', '@modelcontextprotocol/server-everything'],
        },
      },
    };
    await consumer.subscribe({topics: ['mcp.dead-letters'], fromBeginning: true});
    const letter = new Promise((resolve, reject) => {
      setTimeout(() => reject(new Error('no dead letter in time')), 60_000).unref();
      consumer.run({
        eachMessage: async ({partition, message}) => {
          if (message.value?.includes(command.id)) resolve({partition, message});
        },
      });
    });
    await producer.send({topic: 'mcp.commands', messages: [{key: `${team}/${user}`, value: JSON.stringify(command)}]});
    const {partition, message} = await letter;
    console.log(`${partition}@${message.offset} ${message.headers['perigee-reason']}: ${message.headers['perigee-detail']}`);
  } finally {
    await Promise.all([producer.disconnect(), consumer.disconnect()]);
  }
}

main().catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});
