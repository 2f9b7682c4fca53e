/** Exports of a target: subsystems, namespaces, listeners, access states, hosts and their keys. */
package dev.holdfast.engine.spdk.simulator.internal.nvmf;
