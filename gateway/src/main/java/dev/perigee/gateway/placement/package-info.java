/**
 * Which worker hosts a partition: pure decisions over {@link dev.perigee.gateway.link.WorkerView}s,
 * without threads or I/O.
 */
@NullMarked
package dev.perigee.gateway.placement;

import org.jspecify.annotations.NullMarked;
