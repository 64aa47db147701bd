/** Whether this version reads what versions before it wrote, and says so when it writes anew. */
@NullMarked
package dev.perigee.protocol.corpus;

import org.jspecify.annotations.NullMarked;
