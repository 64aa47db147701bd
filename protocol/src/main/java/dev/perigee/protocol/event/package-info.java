/** Events for the backend: status, lifecycle, logs, tools, heartbeats. Change by addition only. */
@NullMarked
package dev.perigee.protocol.event;

import org.jspecify.annotations.NullMarked;
