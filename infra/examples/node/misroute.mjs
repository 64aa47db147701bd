// Sends a command to a partition that is not its key's, as a program does that has another partitioner, and waits for the dead letter.
import {randomUUID} from 'node:crypto';
import {setTimeout as pause} from 'node:timers/promises';
import {Consumer, MessagesStreamModes, Producer, stringDeserializers} from '@platformatic/kafka';

const [bootstrap = '127.0.0.1:9092'] = process.argv.slice(2);
const team = 'examples';
const user = 'misrouted';
const connection = {clientId: 'example', bootstrapBrokers: bootstrap.split(',')};

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

const consumer = new Consumer({...connection, groupId: `example-${randomUUID()}`, autocommit: false, maxWaitTime: 100, deserializers: stringDeserializers});
const letters = await consumer.consume({topics: ['mcp.dead-letters'], mode: MessagesStreamModes.EARLIEST});
const producer = new Producer(connection);
await producer.send({
  messages: [{topic: 'mcp.commands', partition: 0, key: Buffer.from(`${team}/${user}`), value: Buffer.from(JSON.stringify(command))}],
});
await producer.close();

const late = pause(60_000, undefined, {ref: false}).then(() => {
  throw new Error('no dead letter in time');
});
const letter = (async () => {
  for await (const {partition, offset, value, headers} of letters) {
    if (value?.includes(command.id)) return {partition, offset, header: (name) => headers.get(name)};
  }
  throw new Error('no dead letter');
})();
try {
  const {partition, offset, header} = await Promise.race([letter, late]);
  console.log(`${partition}@${offset} ${header('perigee-reason')}: ${header('perigee-detail')}`);
} finally {
  await letters.close();
  await consumer.close(true);
}
