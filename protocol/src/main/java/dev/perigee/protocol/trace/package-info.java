/** What ties together what different parts say about one thing: trace ids, fields of log lines. */
@NullMarked
package dev.perigee.protocol.trace;

import org.jspecify.annotations.NullMarked;
