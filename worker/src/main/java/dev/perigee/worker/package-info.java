/**
 * A worker: {@link dev.perigee.worker.Worker} puts its parts together and takes them apart again,
 * {@link dev.perigee.worker.WorkerSettings} has all its configuration keys. Logic lives in the
 * packages below.
 */
@NullMarked
package dev.perigee.worker;

import org.jspecify.annotations.NullMarked;
