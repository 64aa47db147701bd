/** Tool requests and their one terminal result. Change by addition only. */
@NullMarked
package dev.perigee.protocol.tool;

import org.jspecify.annotations.NullMarked;
