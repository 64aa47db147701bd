/**
 * One MCP server of one user: the supervisor that owns its state and ties process, MCP session,
 * tools, status, restart policy and logs together. Sessions use {@link
 * dev.perigee.worker.instance.InstanceHost}, {@link dev.perigee.worker.instance.PartitionInstances}
 * and implement {@link dev.perigee.worker.instance.InstanceJournal}; all else stays inside.
 */
@NullMarked
package dev.perigee.worker.instance;

import org.jspecify.annotations.NullMarked;
