package dev.holdfast.attacher.testkit;

import dev.holdfast.attacher.AttacherProvider;
import dev.holdfast.attacher.ResourceReader;
import dev.holdfast.attacher.SubjectAttacher;
import dev.holdfast.attacher.TicketDemand;
import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.controller.Reconciler;
import dev.holdfast.controller.Result;
import dev.holdfast.controller.Scope;
import dev.holdfast.controller.Watched;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.attachment.AttachmentTicket;
import dev.holdfast.resource.attachment.VolumeAttachment;
import dev.holdfast.resource.cluster.Setting;
import dev.holdfast.resource.cluster.SettingSpec;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceStore;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;

/** Settings that ask for the volume that is their value, and attachers for them. */
final class ToyWorld {
  static final String NODE = "node-1";
  private static final List<String> VOLUMES = List.of("a", "b");

  private ToyWorld() {}

  static void prepare(ResourceStore store) throws StorageException {
    for (String volume : VOLUMES) {
      Volumes.create(store, volume);
    }
  }

  static void change(ResourceStore store, Random random) throws StorageException {
    String name = "s" + random.nextInt(3);
    String volume = random.nextInt(3) == 0 ? "" : VOLUMES.get(random.nextInt(VOLUMES.size()));
    Optional<Setting> present = store.get(Setting.KIND, name);
    if (present.isEmpty()) {
      store.create(Setting.of(name, new SettingSpec(volume)));
    } else if (random.nextInt(3) == 0) {
      store.delete(Setting.KIND, name, "");
    } else {
      store.update(present.get().withSpec(new SettingSpec(volume)));
    }
  }

  static Set<ExpectedTicket> wanted(ResourceStore store) throws StorageException {
    Set<ExpectedTicket> wanted = new TreeSet<>();
    for (Setting setting : store.list(Setting.KIND, LabelSelector.ALL).items()) {
      if (!setting.spec().value().isEmpty()) {
        TicketDemand demand = TicketDemand.withAnyFrontend(setting.spec().value()).at(NODE);
        wanted.add(new ExpectedTicket("toy-" + setting.name(), demand));
      }
    }
    return wanted;
  }

  /** As it should be. */
  static class Attacher extends SubjectAttacher<Setting> {
    Attacher() {
      super(Setting.KIND, List.of());
    }

    @Override
    public String name() {
      return "toy";
    }

    @Override
    public int priority() {
      return 1;
    }

    @Override
    public Role role() {
      return Role.INTERRUPTIBLE;
    }

    TicketDemand demand(String volume) {
      return TicketDemand.withAnyFrontend(volume).at(NODE);
    }

    @Override
    protected final List<TicketDemand> demands(Setting subject, ResourceReader reader) {
      return subject.spec().value().isEmpty() ? List.of() : List.of(demand(subject.spec().value()));
    }
  }

  /** Requests no node. */
  static final class Nowhere extends Attacher {
    @Override
    TicketDemand demand(String volume) {
      return TicketDemand.withAnyFrontend(volume);
    }
  }

  /** Requests another use of the frontend. */
  static final class WithoutFrontend extends Attacher {
    @Override
    TicketDemand demand(String volume) {
      return TicketDemand.withoutFrontend(volume).at(NODE);
    }
  }

  /** Has another name as a reconciler than as an attacher. */
  static final class TwoNames extends EdgeTriggered {
    private static final AtomicInteger CALLS = new AtomicInteger();

    @Override
    public String name() {
      return "toy-" + CALLS.incrementAndGet();
    }
  }

  /** Adds and removes tickets by what it remembers to have seen last. */
  static class EdgeTriggered implements AttacherProvider, Reconciler<Setting> {
    private final Map<String, String> seen = new LinkedHashMap<>();

    @Override
    public String name() {
      return "toy";
    }

    @Override
    public int priority() {
      return 1;
    }

    @Override
    public Role role() {
      return Role.INTERRUPTIBLE;
    }

    @Override
    public ResourceKind<Setting> kind() {
      return Setting.KIND;
    }

    @Override
    public Scope scope() {
      return Scope.CLUSTER;
    }

    @Override
    public List<Watched<?>> watches() {
      return List.of();
    }

    @Override
    public Result reconcile(String name, ReconcileContext context) throws StorageException {
      String now = context.get(Setting.KIND, name).map(s -> s.spec().value()).orElse("");
      String before = seen.getOrDefault(name, "");
      if (!now.equals(before)) {
        seen.put(name, now);
        edit(before, name, false, context);
        edit(now, name, true, context);
      }
      return Result.DONE;
    }

    private static void edit(String volume, String name, boolean add, ReconcileContext context)
        throws StorageException {
      if (volume.isEmpty()) {
        return;
      }
      VolumeAttachment attachment =
          context.store().get(VolumeAttachment.KIND, volume).orElseThrow();
      Map<String, AttachmentTicket> tickets =
          new LinkedHashMap<>(attachment.spec().attachmentTickets());
      String id = "toy-" + name;
      if (add) {
        tickets.put(id, AttachmentTicket.of(id, "toy", NODE, Map.of("disableFrontend", "any"), 0));
      } else {
        tickets.remove(id);
      }
      context.store().update(attachment.withSpec(attachment.spec().withAttachmentTickets(tickets)));
    }
  }
}
