/** The methods of a simulated target by subject: parameters to operations, failures to answers. */
package dev.holdfast.engine.spdk.simulator.internal.calls;
