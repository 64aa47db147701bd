import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {test} from 'node:test';
import * as client from '../index.js';

const read = (file) => readFileSync(new URL(`../${file}`, import.meta.url), 'utf8');

test('the example of the README is about ten lines of this package', () => {
  const [, example] = read('README.md').match(/```js\n([\s\S]*?)```/);
  assert.ok(example.trim().split('\n').length <= 10);
  assert.match(example, /from 'perigee-client'/);
});

test('types name what the package exports', () => {
  const typed = [...read('index.d.ts').matchAll(/^export (?:class|function) (\w+)/gm)].map(([, name]) => name);
  assert.deepEqual(typed.sort(), Object.keys(client).sort());
});

test('types name the methods of the classes', () => {
  for (const name of ['Client', 'EventFeed']) {
    const [, body] = read('index.d.ts').match(new RegExp(`export class ${name}\\b[^{]*\\{([\\s\\S]*?)^\\}`, 'm'));
    const typed = [...body.matchAll(/^ {2}(?:static |readonly )?(\w+)(?:\(|:)/gm)].map(([, method]) => method).filter((method) => method !== 'constructor');
    const real = Object.getOwnPropertyNames(client[name].prototype).filter((method) => method !== 'constructor');
    assert.deepEqual(typed.filter((method) => !Object.hasOwn(client[name], method)).sort(), real.sort());
  }
});
