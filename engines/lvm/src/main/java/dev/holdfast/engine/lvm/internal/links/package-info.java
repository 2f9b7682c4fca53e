/** Exports of thin volumes to other nodes, through the portal. */
package dev.holdfast.engine.lvm.internal.links;
