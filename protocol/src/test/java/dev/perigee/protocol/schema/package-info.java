/** Holds the published schemas and the AsyncAPI document to the code. */
@NullMarked
package dev.perigee.protocol.schema;

import org.jspecify.annotations.NullMarked;
