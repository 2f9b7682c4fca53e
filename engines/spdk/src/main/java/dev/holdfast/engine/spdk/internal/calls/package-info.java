/** Calls of an SPDK target: connection, parameters, and failures as error codes. */
package dev.holdfast.engine.spdk.internal.calls;
