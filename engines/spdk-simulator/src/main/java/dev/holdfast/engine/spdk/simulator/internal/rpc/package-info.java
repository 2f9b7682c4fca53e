/** JSON-RPC of a simulated target: the socket, the table of methods, parameters and refusals. */
package dev.holdfast.engine.spdk.simulator.internal.rpc;
