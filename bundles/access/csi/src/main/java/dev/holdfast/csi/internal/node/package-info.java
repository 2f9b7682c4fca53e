/** The node service: stages and publishes volumes on this host and reports their usage. */
package dev.holdfast.csi.internal.node;
