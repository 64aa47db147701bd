/** What servers may reach: the fleet's policy, and its enforcement on the address dialled. */
@NullMarked
package dev.perigee.worker.egress;

import org.jspecify.annotations.NullMarked;
