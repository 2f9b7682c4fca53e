package dev.holdfast.sharing.internal;

import dev.holdfast.share.ShareServer;
import java.util.List;
import java.util.Optional;

/** The servers of this node. */
record ShareServers(List<ShareServer> all) {
  ShareServers {
    all = List.copyOf(all);
  }

  Optional<ShareServer> of(String protocol) {
    return all.stream().filter(server -> server.protocol().equals(protocol)).findFirst();
  }
}
