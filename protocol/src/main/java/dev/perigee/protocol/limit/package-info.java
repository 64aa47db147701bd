/** How often something may happen: what gateways and workers count alike. */
@NullMarked
package dev.perigee.protocol.limit;

import org.jspecify.annotations.NullMarked;
