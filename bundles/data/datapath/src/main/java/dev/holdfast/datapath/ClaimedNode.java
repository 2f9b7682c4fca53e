package dev.holdfast.datapath;

/**
 * Marks that this process may act for its node. The service is registered while this machine holds
 * the node's lease; another live machine of the same name prevents it.
 */
public interface ClaimedNode {}
