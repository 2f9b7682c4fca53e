package dev.holdfast.controller.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.resource.Defaults;
import dev.holdfast.resource.FieldError;
import dev.holdfast.resource.KindCatalogue;
import dev.holdfast.resource.ObjectMeta;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.cluster.Setting;
import dev.holdfast.resource.cluster.SettingSpec;
import dev.holdfast.resource.cluster.SettingStatus;
import dev.holdfast.store.WatchEvent;
import dev.holdfast.store.memory.MemoryResourceStore;
import java.util.List;
import org.junit.jupiter.api.Test;

class EventLogTest {
  private final EventLog log = new EventLog(new MemoryResourceStore(), () -> {});

  /** A resource of a kind that no provider declares, as when its bundle is not installed. */
  public record Copy(ObjectMeta metadata, SettingSpec spec, SettingStatus status)
      implements Resource<Copy> {
    static final ResourceKind<Copy> KIND =
        new ResourceKind<>("Copy", "copies", List.of(), Copy.class, "For a test.", List.of());

    public Copy {
      metadata = Defaults.or(metadata, ObjectMeta.named(""));
      spec = Defaults.or(spec, SettingSpec.EMPTY);
      status = Defaults.or(status, SettingStatus.EMPTY);
    }

    static Copy of(String name, String value) {
      return new Copy(ObjectMeta.named(name), new SettingSpec(value), SettingStatus.EMPTY);
    }

    @Override
    public ResourceKind<Copy> resourceKind() {
      return KIND;
    }

    @Override
    public Copy withMetadata(ObjectMeta other) {
      return new Copy(other, spec, status);
    }

    @Override
    public Copy withSpecOf(Copy other) {
      return new Copy(metadata, other.spec, status);
    }

    @Override
    public Copy withStatusOf(Copy other) {
      return new Copy(metadata, spec, other.status);
    }

    @Override
    public List<FieldError> validate() {
      return List.of();
    }
  }

  @Test
  void contentsShowResourcesOfAnAbsentKind() throws Exception {
    assertThat(KindCatalogue.load().named("Copy")).isEmpty();
    log.create(Copy.of("copy-1", "a"));
    log.create(Setting.of("replica-soft-anti-affinity", new SettingSpec("true")));

    assertThat(log.contents()).contains("copy-1", "replica-soft-anti-affinity");
  }

  @Test
  void changedResourceOfAnAbsentKindIsNotReportedAsDeleted() throws Exception {
    log.create(Copy.of("copy-1", "a"));
    Copy stored = log.get(Copy.KIND, "copy-1").orElseThrow();
    log.update(stored.withSpecOf(Copy.of("copy-1", "b")));

    assertThat(log.next(Copy.KIND, 1).orElseThrow().event().type())
        .isEqualTo(WatchEvent.Type.MODIFIED);
    assertThat(log.next(Copy.KIND, 2)).isEmpty();
  }
}
