package dev.holdfast.datapath;

/**
 * Marks that this process may act for its node. The service is registered once the node's lease is
 * held by this machine: not while another machine that is alive has the node's name.
 */
public interface ClaimedNode {}
