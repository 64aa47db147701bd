/**
 * Who a part is and whom it believes, from the PEM files that operators have. The JDK reads and
 * checks certificates; here is what it takes to get them there, and there again when the files are
 * replaced. Nothing here starts threads.
 */
@NullMarked
package dev.perigee.protocol.tls;

import org.jspecify.annotations.NullMarked;
