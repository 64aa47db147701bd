// A server that answers the handshake when its directory has a file init, and all calls so far when it has a file go.
// Files it makes: starts, a line for each start; answered, how many calls it answered.
import fs from 'node:fs';
import { createInterface } from 'node:readline';
process.chdir(process.argv[2]);
fs.appendFileSync('starts', process.pid + '\n');
const send = (id, result) =>
  fs.writeSync(1, JSON.stringify({ jsonrpc: '2.0', id, result }) + '\n');
const when = (file, action) => {
  const timer = setInterval(() => {
    if (fs.existsSync(file)) action(clearInterval(timer));
  }, 20);
};
const calls = [];
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === 'initialize')
    when('init', () => send(id, {
      protocolVersion: params.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: 'held', version: '1' },
    }));
  if (method === 'tools/list')
    send(id, { tools: [{ name: 'big', inputSchema: { type: 'object' } }] });
  if (method === 'tools/call') calls.push(id);
});
when('go', () => calls.forEach((id, i) => {
  send(id, { content: [{ type: 'text', text: 'x'.repeat(30_000) }] });
  fs.writeFileSync('answered', String(i + 1));
}));
