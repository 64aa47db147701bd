/** Commands a backend sends and the results it gets. Change by addition only. */
@NullMarked
package dev.perigee.protocol.command;

import org.jspecify.annotations.NullMarked;
