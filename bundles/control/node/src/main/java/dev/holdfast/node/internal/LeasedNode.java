package dev.holdfast.node.internal;

import dev.holdfast.datapath.ClaimedNode;
import org.osgi.service.component.annotations.Component;

/** The claim of this machine to its node. {@link NodeHeartbeat} enables it. */
@Component(service = ClaimedNode.class, enabled = false)
public final class LeasedNode implements ClaimedNode {}
