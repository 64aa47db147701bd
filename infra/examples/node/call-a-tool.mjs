// Installs a server and calls its tool, with Perigee's client.
import {Client} from 'perigee-client';

const [bootstrap = '127.0.0.1:9092', ...given] = process.argv.slice(2);
const [command, ...args] = given.length > 0 ? given : ['npx', '-y', '@modelcontextprotocol/server-everything'];
const team = 'examples';
const user = 'node';

const client = await Client.connect({brokers: bootstrap.split(',')});
try {
  const installed = await client.configure({
    installation_id: 'example-node',
    server_slug: 'everything',
    team_id: team,
    team_slug: team,
    user_id: user,
    user_slug: user,
    transport_type: 'stdio',
    command,
    args,
  });
  if (installed.result?.resulting_status !== 'online') throw new Error(JSON.stringify(installed));

  const answer = await client.call(team, user, 'everything:echo', {message: 'Hello from Node'});
  console.log(answer.outcome, JSON.stringify(answer.result ?? answer.error));
} finally {
  await client.close();
}
