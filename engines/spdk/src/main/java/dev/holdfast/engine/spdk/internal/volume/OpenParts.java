package dev.holdfast.engine.spdk.internal.volume;

import dev.holdfast.engine.OpenRequest;

/**
 * Parts of an open volume that its operations share.
 *
 * @param context of the node, not null
 * @param request that opened it, not null
 * @param legs its replicas, not null
 * @param members its record in the register, not null
 * @param quiesce holds its requests, not null
 * @param device of the volume, not null
 * @param snapshots of the volume, not null
 * @param monitor guards all of them, not null
 */
record OpenParts(
    SpdkContext context,
    OpenRequest request,
    SpdkLegs legs,
    SpdkMembers members,
    SpdkQuiesce quiesce,
    SpdkDevice device,
    SpdkSnapshots snapshots,
    Object monitor) {}
