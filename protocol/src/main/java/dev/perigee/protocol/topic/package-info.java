/** The topics of the contract: names, kinds, keys and headers. Change by addition only. */
@NullMarked
package dev.perigee.protocol.topic;

import org.jspecify.annotations.NullMarked;
