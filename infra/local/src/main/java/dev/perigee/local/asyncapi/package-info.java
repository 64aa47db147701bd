/** Makes the page of topics and records from the AsyncAPI document and its JSON Schemas. */
@NullMarked
package dev.perigee.local.asyncapi;

import org.jspecify.annotations.NullMarked;
