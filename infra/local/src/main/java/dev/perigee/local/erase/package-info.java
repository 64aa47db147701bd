/** Erasure of a user: which records hold the user, and when brokers remove them. */
@NullMarked
package dev.perigee.local.erase;

import org.jspecify.annotations.NullMarked;
