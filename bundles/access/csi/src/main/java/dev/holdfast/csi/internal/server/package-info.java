/**
 * Common parts of the services: the server on the socket, the registration with the kubelet, and
 * the translation between CSI messages and resources.
 */
package dev.holdfast.csi.internal.server;
