/**
 * What operators see of a worker: health, metrics, the heartbeat, and the instances as they are. It
 * only reads, but for {@code /drain}. No label, and nothing outside of {@code /debug/instances},
 * names a user.
 */
@NullMarked
package dev.perigee.worker.admin;

import org.jspecify.annotations.NullMarked;
