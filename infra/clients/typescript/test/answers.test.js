import assert from 'node:assert/strict';
import {test} from 'node:test';
import {Answers} from '../lib/answers.js';

const COMMANDS = 'mcp.command-results';

function record(topic, key, value, headers = {}) {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return {topic, key, value: value === null ? null : Buffer.from(text), header: (name) => headers[name]};
}

const answer = (id, outcome = 'success') => record('mcp.tool-results', id, {request_id: id, outcome}, {ce_type: 'perigee.tool.result', ce_id: `a-${id}`});
const event = (id, word, ceId, body = {}) => record('mcp.call-events', id, body, {ce_type: `perigee.call.${word}`, ce_id: ceId});

test('the first answer counts, a repeat and a foreign one do not', async () => {
  const answers = new Answers(COMMANDS);
  const waiting = answers.expect('call', 'r-1');
  answers.take(answer('r-2', 'failed'));
  answers.take(answer('r-1', 'success'));
  answers.take(answer('r-1', 'failed'));
  assert.equal((await waiting.answer).outcome, 'success');
});

test('what is no record of Perigee harms nobody', async () => {
  const answers = new Answers(COMMANDS);
  const waiting = answers.expect('call', 'r-1');
  for (const value of ['no json', '[]', '"text"', 'null', '{}', null]) answers.take(record('mcp.tool-results', 'r-1', value));
  answers.take(record('mcp.tool-results', undefined, {outcome: 'success'}));
  answers.take(answer('r-1'));
  assert.equal((await waiting.answer).outcome, 'success');
});

test('a command ends by its terminal result; one id may be of a command and of a call', async () => {
  const answers = new Answers(COMMANDS);
  const command = answers.expect('command', 'x');
  const call = answers.expect('call', 'x');
  answers.take(record(COMMANDS, 'x', {command_id: 'x', outcome: 'acknowledged'}));
  answers.take(record(COMMANDS, 'x', {command_id: 'x', outcome: 'completed'}));
  answers.take(answer('x', 'tool_error'));
  assert.equal((await command.answer).outcome, 'completed');
  assert.equal((await call.answer).outcome, 'tool_error');
});

test('who waits for one can be told that it failed, nobody else', async () => {
  const answers = new Answers(COMMANDS);
  const [one, other] = ['r-1', 'r-2'].map((id) => answers.expect('call', id));
  answers.failOne('call', 'r-1', new Error('enough'));
  answers.failOne('call', 'r-3', new Error('nobody'));
  answers.take(answer('r-2'));
  await assert.rejects(one.answer, /enough/);
  assert.equal((await other.answer).outcome, 'success');
});

test('events are handed over once each, in order, until the answer', async () => {
  const told = [];
  const answers = new Answers(COMMANDS);
  const handlers = {
    onProgress: ({progress}) => told.push(progress),
    onLog: ({data}) => told.push(data),
    onInput: ({input_id: id}) => told.push(id),
    onTask: ({status}) => told.push(status),
  };
  const waiting = answers.expect('call', 'r-1', handlers);
  answers.take(event('r-1', 'progress', 'p/1/1', {progress: 1}));
  answers.take(event('r-1', 'log', 'p/1/2', {data: 'hi'}));
  answers.take(event('r-1', 'progress', 'p/1/1', {progress: 1}));
  answers.take(event('r-1', 'dance', 'p/1/3', {}));
  answers.take(event('r-1', 'input_required', 'p/1/5', {input_id: 'i1'}));
  answers.take(event('r-1', 'task', 'p/1/6', {status: 'completed'}));
  answers.take(answer('r-1'));
  answers.take(event('r-1', 'progress', 'p/1/4', {progress: 2}));
  await waiting.answer;
  assert.deepEqual(told, [1, 'hi', 'i1', 'completed']);
});

test('what a handler throws ends the wait', async () => {
  const answers = new Answers(COMMANDS);
  const waiting = answers.expect('call', 'r-1', {onProgress: () => { throw new Error('enough'); }});
  answers.take(event('r-1', 'progress', 'p/1/1'));
  await assert.rejects(waiting.answer, /enough/);
});

test('an id is waited for by one', () => {
  const answers = new Answers(COMMANDS);
  answers.expect('call', 'r-1');
  assert.throws(() => answers.expect('call', 'r-1'), /r-1/);
});

test('an answer that comes late is had by who asks again with its id', async () => {
  const answers = new Answers(COMMANDS);
  answers.forget(answers.expect('call', 'r-1'), true);
  answers.forget(answers.expect('call', 'r-2'), false);
  answers.take(answer('r-1'));
  answers.take(answer('r-2'));
  const again = answers.expect('call', 'r-1');
  assert.equal(again.isAnswered, true);
  assert.equal((await again.answer).request_id, 'r-1');
  assert.equal(answers.expect('call', 'r-2').isAnswered, false);
});

test('closing ends all waits', async () => {
  const answers = new Answers(COMMANDS);
  const waiting = answers.expect('call', 'r-1');
  answers.fail(new Error('closed'));
  await assert.rejects(waiting.answer, /closed/);
});
