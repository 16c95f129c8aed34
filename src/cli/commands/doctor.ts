import { Command } from 'commander';
import { jsonOption } from '../options.ts';
import type { DoctorOptions } from '../actions/doctor.ts';

/** `maniple doctor` */
export function doctorCommand(): Command {
  return new Command('doctor')
    .description('Show the GPU, its limits and the kernels that run on it, or how to get one.')
    .addOption(jsonOption())
    .addHelpText('after', '\nMANIPLE_GPU=auto|hardware|software|null chooses the adapter.')
    .action(async (options: DoctorOptions) => {
      const { runDoctor } = await import('../actions/doctor.ts');
      await runDoctor(options);
    });
}
