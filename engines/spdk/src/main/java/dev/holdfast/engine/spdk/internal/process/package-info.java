/** The process of the SPDK target: its options, what the machine must have, its supervision. */
package dev.holdfast.engine.spdk.internal.process;
