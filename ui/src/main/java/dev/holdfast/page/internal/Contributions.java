package dev.holdfast.page.internal;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.page.contribution.PageContribution;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The contributions of the node's bundles, as they come and go. Thread-safe. */
final class Contributions {
  private static final Logger LOG = LoggerFactory.getLogger(Contributions.class);

  /** In the order of their registration: the first one of a name is shown. */
  private final List<Contribution> all = new CopyOnWriteArrayList<>();

  /** Adds a contribution, unless it cannot be shown; the log then names the reason. */
  void add(PageContribution service, Contribution.Origin origin) {
    try {
      Contribution added = Contribution.of(service, origin);
      named(added.name())
          .ifPresent(
              other ->
                  LOG.warn(
                      "page: contribution {} of {} is not shown while {} has one of this name:"
                          + " choose another name",
                      added.name(),
                      origin.bundle(),
                      other.origin().bundle()));
      all.add(added);
    } catch (RuntimeException | LinkageError e) {
      LOG.warn("page: refused a contribution of {}: {}", origin.bundle(), e.toString());
    }
  }

  void remove(PageContribution service) {
    all.removeIf(each -> each.service() == service);
  }

  /** Returns the contribution of a name, in the revision that a browser knows. */
  Optional<Contribution> find(String name, String revision) {
    return named(name).filter(each -> each.origin().revision().equals(revision));
  }

  private Optional<Contribution> named(String name) {
    return all.stream().filter(each -> each.name().equals(name)).findFirst();
  }

  /** Returns what a browser needs to load each contribution. */
  ArrayNode description() {
    ArrayNode list = JsonNodeFactory.instance.arrayNode();
    List<String> names = new ArrayList<>();
    for (Contribution each : all) {
      if (!names.contains(each.name())) {
        names.add(each.name());
        ObjectNode node = list.addObject();
        node.put("name", each.name());
        node.put("bundle", each.origin().bundle());
        node.put("version", each.origin().version());
        node.put("revision", each.origin().revision());
        node.put("entry", each.entry());
        each.kinds().forEach(node.putArray("kinds")::add);
      }
    }
    return list;
  }
}
