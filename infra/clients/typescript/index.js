export {Client} from './lib/client.js';
export {NoAnswer, Refused, Unreachable} from './lib/errors.js';
export {EventFeed} from './lib/feed.js';
export {partition} from './lib/partition.js';
