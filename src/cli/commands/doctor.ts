import { Command } from 'commander';
import { jsonOption } from '../options.ts';
import type { DoctorOptions } from '../actions/doctor.ts';

/** `maniple doctor` */
export function doctorCommand(): Command {
  return new Command('doctor')
    .description('Say which GPU there is, what it can do, which kernels run on it, and what to do if there is none.')
    .addOption(jsonOption())
    .addHelpText('after', '\nMANIPLE_GPU=auto|hardware|software|null chooses the adapter.')
    .action(async (options: DoctorOptions) => {
      const { runDoctor } = await import('../actions/doctor.ts');
      await runDoctor(options);
    });
}
