/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
#include "shim/virtual_tree.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/*
 * Templates, filled in for each device:
 *	%i "efa_0"	%u "uverbs0"	%m minor	%p PCI address
 *	%b PCI domain and bus		%g node GUID	%G port GID
 *	%v %d vendor and device, 4 hex digits (%V %D: upper case)
 *	%n NUMA node, -1 when none
 */
struct template {
	enum tree_kind kind;
	const char *path;
	const char *content;
};

#define PCI	"sys/devices/pci%b/%p"
#define IB	PCI "/infiniband/%i"
#define UVERBS	PCI "/infiniband_verbs/%u"
#define MODALIAS "pci:v0000%Vd0000%Dsv0000%Vsd0000%Dbc02sc00i00"

static const struct template templates[] = {
	{ TREE_CHAR, "dev/infiniband/%u", "" },

	{ TREE_LINK, "sys/class/infiniband/%i",
	  "../../devices/pci%b/%p/infiniband/%i" },
	{ TREE_LINK, "sys/class/infiniband_verbs/%u",
	  "../../devices/pci%b/%p/infiniband_verbs/%u" },
	{ TREE_FILE, "sys/class/infiniband_verbs/abi_version", "6\n" },
	{ TREE_LINK, "sys/class/pci_bus/%b",
	  "../../devices/pci%b/pci_bus/%b" },
	{ TREE_LINK, "sys/bus/pci/devices/%p", "../../../devices/pci%b/%p" },
	{ TREE_LINK, "sys/bus/pci/drivers/efa/%p",
	  "../../../../devices/pci%b/%p" },
	{ TREE_LINK, "sys/dev/char/231:%m",
	  "../../devices/pci%b/%p/infiniband_verbs/%u" },

	{ TREE_FILE, "sys/devices/pci%b/pci_bus/%b/uevent", "" },

	{ TREE_LINK, PCI "/driver", "../../../bus/pci/drivers/efa" },
	{ TREE_LINK, PCI "/subsystem", "../../../bus/pci" },
	{ TREE_FILE, PCI "/vendor", "0x%v\n" },
	{ TREE_FILE, PCI "/device", "0x%d\n" },
	{ TREE_FILE, PCI "/subsystem_vendor", "0x%v\n" },
	{ TREE_FILE, PCI "/subsystem_device", "0x%d\n" },
	{ TREE_FILE, PCI "/class", "0x020000\n" },
	{ TREE_FILE, PCI "/revision", "0x00\n" },
	{ TREE_FILE, PCI "/modalias", MODALIAS "\n" },
	{ TREE_FILE, PCI "/numa_node", "%n\n" },
	{ TREE_REAL_FILE, PCI "/local_cpus",
	  "/sys/devices/system/node/node%n/cpumap" },
	{ TREE_REAL_FILE, PCI "/local_cpulist",
	  "/sys/devices/system/node/node%n/cpulist" },
	{ TREE_FILE, PCI "/current_link_speed", "16.0 GT/s PCIe\n" },
	{ TREE_FILE, PCI "/current_link_width", "16\n" },
	{ TREE_FILE, PCI "/max_link_speed", "16.0 GT/s PCIe\n" },
	{ TREE_FILE, PCI "/max_link_width", "16\n" },
	{ TREE_FILE, PCI "/uevent",
	  "DRIVER=efa\nPCI_CLASS=20000\nPCI_ID=%V:%D\nPCI_SUBSYS_ID=%V:%D\n"
	  "PCI_SLOT_NAME=%p\nMODALIAS=" MODALIAS "\n" },

	{ TREE_LINK, IB "/device", "../../../%p" },
	{ TREE_LINK, IB "/subsystem", "../../../../../class/infiniband" },
	{ TREE_FILE, IB "/node_type", "7: unspecified\n" },
	{ TREE_FILE, IB "/node_guid", "%g\n" },
	{ TREE_FILE, IB "/sys_image_guid", "%g\n" },
	{ TREE_FILE, IB "/node_desc", "\n" },
	{ TREE_FILE, IB "/uevent", "NAME=%i\n" },
	{ TREE_FILE, IB "/ports/1/state", "4: ACTIVE\n" },
	{ TREE_FILE, IB "/ports/1/phys_state", "5: LinkUp\n" },
	{ TREE_FILE, IB "/ports/1/link_layer", "Unknown\n" },
	{ TREE_FILE, IB "/ports/1/lid", "0x0\n" },
	{ TREE_FILE, IB "/ports/1/lid_mask_count", "1\n" },
	{ TREE_FILE, IB "/ports/1/sm_lid", "0x0\n" },
	{ TREE_FILE, IB "/ports/1/sm_sl", "0\n" },
	{ TREE_FILE, IB "/ports/1/cap_mask", "0x00000000\n" },
	{ TREE_FILE, IB "/ports/1/pkeys/0", "0xffff\n" },
	{ TREE_FILE, IB "/ports/1/gids/0", "%G\n" },
	{ TREE_FILE, IB "/ports/1/gid_attrs/types/0", "IB/RoCE v1\n" },

	{ TREE_LINK, UVERBS "/device", "../../../%p" },
	{ TREE_LINK, UVERBS "/subsystem",
	  "../../../../../class/infiniband_verbs" },
	{ TREE_FILE, UVERBS "/ibdev", "%i\n" },
	{ TREE_FILE, UVERBS "/dev", "231:%m\n" },
	{ TREE_FILE, UVERBS "/abi_version", "1\n" },
	{ TREE_FILE, UVERBS "/uevent",
	  "MAJOR=231\nMINOR=%m\nDEVNAME=infiniband/%u\n" },
};

static_assert(SOFTEFA_UVERBS_MAJOR == 231, "spelt out in the templates");

/* Directories that are the tree's alone, with all below them. */
static const char *const owned_dirs[] = {
	"sys/class/infiniband", "sys/class/infiniband_verbs",
	"sys/bus/pci/drivers/efa", "sys/devices/pci%b/pci_bus/%b", PCI,
	"dev/infiniband",
};

#define ARRAY_LEN(array) (sizeof(array) / sizeof((array)[0]))

/* The value of %@letter, in @buf when it has to be written. */
static const char *field_value(const struct softefa_device_entry *entry,
			       char letter, char *buf, size_t size)
{
	switch (letter) {
	case 'i': return entry->ibdev;
	case 'u': return entry->uverbs;
	case 'p': return entry->pci;
	case 'g': return entry->node_guid;
	case 'G': return entry->gid;
	/* "0000:10" of "0000:10:1b.0" */
	case 'b': snprintf(buf, size, "%.7s", entry->pci); break;
	case 'm': snprintf(buf, size, "%u", entry->minor); break;
	case 'n': snprintf(buf, size, "%d", (int)entry->numa_node); break;
	case 'v': snprintf(buf, size, "%04x", entry->vendor_id); break;
	case 'd': snprintf(buf, size, "%04x", entry->device_id); break;
	case 'V': snprintf(buf, size, "%04X", entry->vendor_id); break;
	case 'D': snprintf(buf, size, "%04X", entry->device_id); break;
	default: assert(!"a letter that no template has");
	}
	return buf;
}

/* Fills @out (@size bytes, longer text is cut) from the template @text. */
static void expand(const char *text, const struct softefa_device_entry *entry,
		   char *out, size_t size)
{
	char buf[16];
	const char *value;
	size_t used = 0;

	for (; *text && used + 1 < size; text++) {
		if (*text != '%') {
			out[used++] = *text;
			continue;
		}
		value = field_value(entry, *++text, buf, sizeof(buf));
		while (*value && used + 1 < size)
			out[used++] = *value++;
	}
	out[used] = '\0';
}

/* Whether @path is @dir or lies below it. */
static bool is_at_or_below(const char *path, const char *dir)
{
	size_t len = strlen(dir);

	return !strncmp(path, dir, len) &&
	       (path[len] == '\0' || path[len] == '/');
}

static bool is_owned(const struct softefa_devices *devices, const char *path)
{
	char dir[TREE_MAX_PATH];
	uint32_t device;
	size_t i;

	for (device = 0; device < devices->count; device++) {
		for (i = 0; i < ARRAY_LEN(owned_dirs); i++) {
			expand(owned_dirs[i], &devices->entry[device], dir,
			       sizeof(dir));
			if (is_at_or_below(path, dir))
				return true;
		}
	}
	return false;
}

/*
 * Fills *@node for the resolved path node->path, without following it.
 * A directory that is only on the way to ours is TREE_OUTSIDE, and so is
 * what the tree does not know outside its own directories; -ENOENT inside.
 */
static int classify(const struct softefa_devices *devices,
		    struct tree_node *node)
{
	const struct softefa_device_entry *entry;
	char full[TREE_MAX_PATH];
	uint32_t device;
	size_t i;

	node->is_on_the_way = false;
	for (device = 0; device < devices->count; device++) {
		entry = &devices->entry[device];
		for (i = 0; i < ARRAY_LEN(templates); i++) {
			expand(templates[i].path, entry, full, sizeof(full));
			if (!is_at_or_below(full, node->path))
				continue;
			if (strcmp(full, node->path)) {
				node->is_on_the_way = true;
				continue;
			}
			node->kind = templates[i].kind;
			node->device = device;
			expand(templates[i].content, entry, node->content,
			       sizeof(node->content));
			return 0;
		}
	}
	node->kind = TREE_OUTSIDE;
	if (!is_owned(devices, node->path))
		return 0;
	node->kind = TREE_DIR;
	return node->is_on_the_way ? 0 : -ENOENT;
}

/* What is left of a walk: a path that symlinks are put in front of. */
struct remainder {
	char text[TREE_MAX_PATH * 2];
	char *next;
	unsigned num_links;
};

static int remainder_set(struct remainder *rest, const char *front,
			 const char *back)
{
	char text[sizeof(rest->text)];
	int len = snprintf(text, sizeof(text), "%s%s%s", front,
			   *back ? "/" : "", back);

	if (len < 0 || (size_t)len >= sizeof(text))
		return -ENAMETOOLONG;
	memcpy(rest->text, text, (size_t)len + 1);
	rest->next = rest->text;
	return 0;
}

/* Takes the next component off @rest; NULL at the end. */
static char *remainder_pop(struct remainder *rest)
{
	char *name = rest->next + strspn(rest->next, "/");
	char *end = name + strcspn(name, "/");

	if (!*name)
		return NULL;
	rest->next = *end ? end + 1 : end;
	*end = '\0';
	return name;
}

static int append(char *path, const char *name)
{
	size_t len = strlen(path);
	int more = snprintf(path + len, TREE_MAX_PATH - len, "%s%s",
			    len ? "/" : "", name);

	return more < 0 || len + (size_t)more >= TREE_MAX_PATH ?
	       -ENAMETOOLONG : 0;
}

/* The rest of the way belongs to the real file system. */
static int leave(struct tree_node *node, const struct remainder *rest)
{
	node->kind = TREE_OUTSIDE;
	node->is_on_the_way = false;
	return *rest->next ? append(node->path, rest->next) : 0;
}

static int go_up(struct tree_node *node)
{
	char *slash = strrchr(node->path, '/');

	if (!slash)
		return -EXDEV;
	*slash = '\0';
	return 0;
}

/* Puts the target of the symlink that @node is before what is left. */
static int follow_link(struct tree_node *node, struct remainder *rest)
{
	if (++rest->num_links > 40)
		return -ELOOP;
	go_up(node);
	return remainder_set(rest, node->content, rest->next);
}

int tree_walk(const struct softefa_devices *devices, const char *path,
	      bool follow, struct tree_node *node)
{
	struct remainder rest = { .num_links = 0 };
	const char *name;
	bool is_dir_wanted;
	int ret;

	ret = remainder_set(&rest, path, "");
	is_dir_wanted = *path && path[strlen(path) - 1] == '/';
	follow |= is_dir_wanted;
	node->path[0] = '\0';
	node->kind = TREE_OUTSIDE;
	node->is_on_the_way = true;
	while (!ret && (name = remainder_pop(&rest))) {
		if (!strcmp(name, "."))
			continue;
		if (!strcmp(name, "..")) {
			if (go_up(node)) {
				ret = append(node->path, "..");
				return ret ? ret : leave(node, &rest);
			}
			ret = classify(devices, node);
			continue;
		}
		ret = append(node->path, name);
		if (!ret)
			ret = classify(devices, node);
		if (ret)
			break;
		if (node->kind == TREE_LINK && (follow || *rest.next)) {
			ret = follow_link(node, &rest);
		} else if (node->kind == TREE_OUTSIDE && !node->is_on_the_way) {
			return leave(node, &rest);
		} else if (node->kind != TREE_DIR &&
			   node->kind != TREE_OUTSIDE &&
			   (*rest.next || is_dir_wanted)) {
			ret = node->kind == TREE_LINK ? 0 : -ENOTDIR;
		}
	}
	return ret;
}

/* Adds the component of @full that follows @dir, once. */
static size_t add_child(const char *full, const char *dir,
			char names[][TREE_MAX_NAME], size_t num, size_t max)
{
	const char *child = full + strlen(dir) + 1;
	size_t i, len = strcspn(child, "/");

	if (num == max || len >= TREE_MAX_NAME)
		return num;
	for (i = 0; i < num; i++) {
		if (strlen(names[i]) == len && !memcmp(names[i], child, len))
			return num;
	}
	memcpy(names[num], child, len);
	names[num][len] = '\0';
	return num + 1;
}

size_t tree_list(const struct softefa_devices *devices, const char *path,
		 char names[][TREE_MAX_NAME], size_t max)
{
	char full[TREE_MAX_PATH];
	uint32_t device;
	size_t i, num = 0;

	for (device = 0; device < devices->count; device++) {
		for (i = 0; i < ARRAY_LEN(templates); i++) {
			expand(templates[i].path, &devices->entry[device],
			       full, sizeof(full));
			if (is_at_or_below(full, path) && strcmp(full, path))
				num = add_child(full, path, names, num, max);
		}
	}
	return num;
}

uint64_t tree_inode(const char *path)
{
	uint64_t hash = 0xcbf29ce484222325;	/* FNV-1a */

	for (; *path; path++)
		hash = (hash ^ (unsigned char)*path) * 0x100000001b3;
	return hash;
}
