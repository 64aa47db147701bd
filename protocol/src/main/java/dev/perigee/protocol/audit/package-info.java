/** Actions of people on a fleet, the roles that they need, and the records that tell of them. */
@NullMarked
package dev.perigee.protocol.audit;

import org.jspecify.annotations.NullMarked;
