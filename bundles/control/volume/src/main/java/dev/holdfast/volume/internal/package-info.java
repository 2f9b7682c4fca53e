/**
 * The volume controller: a volume's parts, where its replicas go, and its way to a node and back.
 */
package dev.holdfast.volume.internal;
