/** Who may ask: tokens that others present, and who may see a part's admin pages. */
@NullMarked
package dev.perigee.protocol.access;

import org.jspecify.annotations.NullMarked;
