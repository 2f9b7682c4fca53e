package dev.holdfast.attachment.internal;

import dev.holdfast.attacher.AttacherType;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ReferenceCardinality;
import org.osgi.service.component.annotations.ReferencePolicy;

/** The attacher types that are installed now. Of two with one name the later one counts. */
@Component(service = AttacherTypes.class)
public final class AttacherTypes {
  private final List<AttacherType> types = new CopyOnWriteArrayList<>();

  /** Starts without types; they come and go as services. */
  @Activate
  public AttacherTypes() {}

  /** The given types and no others, for tests. */
  public static AttacherTypes of(Collection<? extends AttacherType> types) {
    AttacherTypes result = new AttacherTypes();
    types.forEach(result::addType);
    return result;
  }

  @Reference(cardinality = ReferenceCardinality.MULTIPLE, policy = ReferencePolicy.DYNAMIC)
  void addType(AttacherType type) {
    types.add(type);
  }

  void removeType(AttacherType type) {
    types.remove(type);
  }

  Map<String, AttacherType> byName() {
    Map<String, AttacherType> byName = new TreeMap<>();
    types.forEach(type -> byName.put(type.name(), type));
    return byName;
  }
}
